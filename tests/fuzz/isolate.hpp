// Runs code in a child process, so that a crash or an endless loop of what is tested is a result like any other.
// The caller must not have started threads that the code needs.
#pragma once

#include <functional>
#include <optional>
#include <string>

namespace quern::fuzz {

struct isolated {
    bool finished = false;
    std::string text;  ///< what the code returned, or how its process died
};
/// Runs `code` in a child and returns the text that it returns, line ends as spaces; if the child dies or takes longer
/// than `seconds`, a text that says how ("signal 11: Segmentation fault"). Throws device_error if no child can start.
isolated run_isolated(unsigned seconds, const std::function<std::string()>& code);

/// A child that reports line by line while it works.
class worker {
public:
    using say = std::function<void(const std::string& line)>;

    /// Starts a child that runs `code`; lines that it says are read by `next_line`.
    explicit worker(const std::function<void(const say&)>& code);
    ~worker();
    worker(worker&& other) noexcept;
    worker& operator=(worker&&) = delete;

    /// The pipe to wait on, for poll.
    int descriptor() const { return pipe_; }
    /// Reads what is there; returns a complete line or nothing. At the end of the pipe `ended()` becomes true.
    std::optional<std::string> next_line();
    void read_more();
    bool ended() const { return ended_; }
    /// Ends the child at once.
    void stop() const;
    /// Waits for the child; empty if it finished, else how it died.
    std::string how_it_ended();

private:
    int process_ = -1;
    int pipe_ = -1;
    bool ended_ = false;
    std::string text_;
};

/// Ends this process with a signal if it does not call again within so many seconds; 0 turns it off.
void limit_time(unsigned seconds);

}  // namespace quern::fuzz
