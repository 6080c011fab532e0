#include "tests/fuzz/isolate.hpp"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <quern/error.hpp>
#include <utility>

namespace quern::fuzz {

namespace {

void write_all(int to, std::string_view text) {
    while (!text.empty()) {
        const ssize_t written = ::write(to, text.data(), text.size());
        if (written <= 0) return;
        text.remove_prefix(static_cast<std::size_t>(written));
    }
}

}  // namespace

void limit_time(unsigned seconds) { ::alarm(seconds); }

worker::worker(const std::function<void(const say&)>& code) {
    std::fflush(nullptr);
    std::array<int, 2> ends{};
    if (::pipe(ends.data()) != 0) throw device_error(fmt::format("no pipe to a child process: {}", std::strerror(errno)));
    process_ = ::fork();
    if (process_ < 0) throw device_error(fmt::format("no child process: {}", std::strerror(errno)));
    if (process_ == 0) {
        ::close(ends[0]);
        int result = 0;
        try {
            code([&](const std::string& line) { write_all(ends[1], line + '\n'); });
        } catch (const std::exception& e) {
            std::fprintf(stderr, "%s\n", e.what());
            result = 1;
        }
        std::fflush(nullptr);
        ::_exit(result);  // no destructors of the parent's objects
    }
    ::close(ends[1]);
    pipe_ = ends[0];
}

worker::worker(worker&& other) noexcept
    : process_(std::exchange(other.process_, -1)), pipe_(std::exchange(other.pipe_, -1)), ended_(other.ended_),
      text_(std::move(other.text_)) {}

worker::~worker() {
    if (pipe_ >= 0) ::close(pipe_);
    if (process_ >= 0) ::waitpid(process_, nullptr, 0);
}

void worker::read_more() {
    std::array<char, 4096> some{};
    const ssize_t size = ::read(pipe_, some.data(), some.size());
    if (size <= 0) ended_ = true;
    else text_.append(some.data(), static_cast<std::size_t>(size));
}

std::optional<std::string> worker::next_line() {
    const std::size_t end = text_.find('\n');
    if (end == std::string::npos) return std::nullopt;
    std::string line = text_.substr(0, end);
    text_.erase(0, end + 1);
    return line;
}

void worker::stop() const {
    if (process_ > 0) ::kill(process_, SIGKILL);
}

std::string worker::how_it_ended() {
    int status = 0;
    ::waitpid(std::exchange(process_, -1), &status, 0);
    if (WIFSIGNALED(status)) return fmt::format("signal {}: {}", WTERMSIG(status), ::strsignal(WTERMSIG(status)));
    return WEXITSTATUS(status) == 0 ? std::string() : fmt::format("exit status {}", WEXITSTATUS(status));
}

isolated run_isolated(unsigned seconds, const std::function<std::string()>& code) {
    worker child([&](const worker::say& say) {
        limit_time(seconds);
        std::string text = code();
        for (char& c : text)
            if (c == '\n') c = ' ';
        say(text);
    });
    while (!child.ended()) child.read_more();
    const std::string end = child.how_it_ended();
    if (!end.empty()) return {false, end};
    return {true, child.next_line().value_or("")};
}

}  // namespace quern::fuzz
