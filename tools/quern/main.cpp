// The command `quern`: its arguments. What each subcommand does is in a file of its own.
#include <quern/error.hpp>

#include <CLI/CLI.hpp>
#include <fmt/core.h>

#include <string_view>

#include "compile.hpp"
#include "devices.hpp"

namespace {

constexpr int succeeded = 0, failed = 1, wrong_arguments = 2;

constexpr const char* exit_codes = "Exit codes: 0 done, 1 failed, 2 wrong arguments.";

}  // namespace

int main(int argc, char** argv) {
    CLI::App app("Looks at the devices that Quern finds, and compiles kernels in their printed form.", "quern");
    app.set_version_flag("--version", "quern " QUERN_VERSION);
    app.set_help_flag("--help", "Print this and exit");  // -h stays free; subcommands inherit it
    app.footer(exit_codes);

    auto format = quern_tool::listing::text;
    CLI::App* devices = app.add_subcommand("devices", "Lists the devices that are there, and what is missing and why");
    devices->add_flag_callback("--json", [&] { format = quern_tool::listing::json; }, "Print JSON");
    devices->footer("QUERN_DEVICE restricts the list. " + std::string(exit_codes));

    quern_tool::compile_request request;
    CLI::App* compile = app.add_subcommand("compile", "Compiles a kernel, or shows a stage of its compilation");
    compile->add_option("file", request.file, "Kernel in its printed form (.qir); - is the standard input")->required();
    compile->add_option("--target", request.target, "What to compile for: cpu, cpu:znver4 …")->capture_default_str();
    compile->add_option("--stage", request.stage,
                        "Stage to show instead of compiled code: ir (after the passes), llvm, assembly … as the "
                        "target has them");
    compile->add_option("--output", request.output, "File to write the code or the stage to");
    compile->footer(exit_codes);

    try {
        app.parse(argc, argv);
        if (app.get_subcommands().empty()) throw CLI::RequiredError::Subcommand(1);
        if (devices->parsed()) quern_tool::list_devices(format);
        if (compile->parsed()) quern_tool::compile(request);
        return succeeded;
    } catch (const CLI::ParseError& e) {
        return app.exit(e) == 0 ? succeeded : wrong_arguments;
    } catch (const quern::compile_error& e) {
        const std::string_view what = e.what(), log = e.log();
        fmt::print(stderr, "quern: {}\n", what);
        if (what.find(log) == what.npos) fmt::print(stderr, "{}", log);  // short ones are part of the message
    } catch (const std::exception& e) {
        fmt::print(stderr, "quern: {}\n", e.what());
    }
    return failed;
}
