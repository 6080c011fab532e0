#include "program.hpp"

#include <CLI/CLI.hpp>

#include <cstdio>

namespace examples {
namespace {

constexpr int passed = 0, failed = 1, wrong_arguments = 2;

int report(const std::string& name, const std::string& device, const outcome& o) {
    std::printf("%-13s %-10s %-44s %9.2f ms   ", name.c_str(), device.c_str(), o.sizes.c_str(), o.time_ms);
    if (o.mistake.empty()) {
        std::printf("checked against %s\n", o.checked.c_str());
        return passed;
    }
    std::printf("FAILED against %s: %s\n", o.checked.c_str(), o.mistake.c_str());
    return failed;
}

int complain(const std::string& name, const std::exception& e, int exit_code) {
    std::fprintf(stderr, "%s: %s\n", name.c_str(), e.what());
    return exit_code;
}

}  // namespace

struct program::state {
    std::string name;
    CLI::App arguments;
    std::string device;
};

program::program(const std::string& name, const std::string& what_it_shows)
    : state_(new state{name, CLI::App(what_it_shows, name), {}}) {
    state_->arguments.add_option("--device", state_->device, "a device's name, as `quern devices` lists it; the best");
}

program::~program() = default;

program& program::option(const std::string& name, std::size_t& value, const std::string& help) {
    state_->arguments.add_option(name, value, help)->capture_default_str();
    return *this;
}

program& program::option(const std::string& name, std::string& value, const std::string& help) {
    state_->arguments.add_option(name, value, help)->capture_default_str();
    return *this;
}

int program::run_erased(int argc, char** argv, const std::function<std::string(const quern::device&)>& print_ir,
                        const std::function<outcome(const quern::device&)>& example) {
    bool only_ir = false;
    state_->arguments.add_flag("--print-ir", only_ir, "print the kernel's IR and do nothing else");
    try {
        state_->arguments.parse(argc, argv);
    } catch (const CLI::ParseError& e) {
        return state_->arguments.exit(e) == 0 ? passed : wrong_arguments;
    }

    quern::device device;
    try {
        device = state_->device.empty() ? quern::device::best() : quern::device::find(state_->device);
    } catch (const quern::error& e) {
        return complain(state_->name, e, state_->device.empty() ? failed : wrong_arguments);
    }

    try {
        if (only_ir) {
            std::fputs(print_ir(device).c_str(), stdout);
            return passed;
        }
        return report(state_->name, device.id(), example(device));
    } catch (const std::exception& e) {
        return complain(state_->name, e, failed);
    }
}

std::string describe_difference(std::size_t wrong, std::size_t count, std::size_t first, double got, double expected) {
    char text[160];
    std::snprintf(text, sizeof text, "%zu of %zu are wrong; the first, number %zu, is %.9g instead of %.9g", wrong,
                  count, first, got, expected);
    return text;
}

}  // namespace examples
