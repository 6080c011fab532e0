// Control flow that is traced: statements end in `_`. A plain C++ if or for runs while tracing instead, which is how
// one unrolls and specialises.
#pragma once

#include <quern/variable.hpp>

namespace quern {

namespace quern_detail {

template <class Result>
consteval void check_body() {
    static_assert(std::is_void_v<Result>, "quern: the body of a traced statement returns nothing: assign to a var that "
                                          "is declared before");
}

/// Keeps the branches of an if_ open for elif_ and else_ until the statement ends.
class if_chain {
public:
    if_chain(const if_chain&) = delete;
    if_chain& operator=(const if_chain&) = delete;
    ~if_chain() {
        for (; depth_ > 0; --depth_) end_if();
    }

    /// Its condition is evaluated only when the earlier ones failed.
    template <class Body>
    if_chain&& elif_(condition c, Body&& body) && {
        enter_else();
        begin_if(c.value, c.where);
        ++depth_;
        run(body);
        begin_else();
        return static_cast<if_chain&&>(*this);
    }
    template <class Body>
    void else_(Body&& body) && {
        enter_else();
        run(body);
    }

    template <class Body>
    if_chain(const condition& c, Body& body) {
        begin_if(c.value, c.where);
        run(body);
        begin_else();
    }

private:
    template <class Body>
    static void run(Body& body) {
        check_body<decltype(body())>();
        body();
    }

    int depth_ = 1;
};

struct no_plain_loop {
    template <class Self = no_plain_loop>
    int* begin() const {
        static_assert(always_false<Self>, "quern: the count of a range is not known while C++ runs: write for_(range(0u, "
                                          "n), [&](val<uint> i) { … }), or a plain C++ for with host bounds");
        return nullptr;
    }
    int* end() const { return nullptr; }
};

template <class T>
struct range_of : no_plain_loop {
    range_of(node first_value, node last_value, node step_value, bool is_positive, const location& l)
        : first(first_value), last(last_value), step(step_value), step_is_positive(is_positive), where(l) {}

    node first, last, step;
    bool step_is_positive;
    location where;
};

/// Host bounds: the counter's type is known only where the body is.
template <class First, class Last, class Step>
struct host_range : no_plain_loop {
    host_range(First first_value, Last last_value, Step step_value, const location& l)
        : first(first_value), last(last_value), step(step_value), where(l) {}

    First first;
    Last last;
    Step step;
    location where;
};

/// Common, or else the integer type that the body's parameter asks for.
template <class Body, class Common, class T = Common, class... Other>
struct counter_type : counter_type<Body, Common, Other...> {};
template <class Body, class Common, class T, class... Other>
    requires std::is_invocable_v<Body&, val<T>>
struct counter_type<Body, Common, T, Other...> {
    using type = T;
};
template <class Body, class Common, class T>
    requires(!std::is_invocable_v<Body&, val<T>>)
struct counter_type<Body, Common, T> {
    using type = Common;
};

/// The type of a range: that of the first traced bound, else what the host's integers have in common, int or wider.
template <class... X>
struct range_type : std::common_type<int, X...> {};
template <class X, class... Rest>
    requires is_traced<X>
struct range_type<X, Rest...> {
    using type = value_t<X>;
};
template <class X, class... Rest>
    requires(!is_traced<X> && (is_traced<Rest> || ...))
struct range_type<X, Rest...> : range_type<Rest...> {};

template <class T>
consteval void check_range_type() {
    static_assert(is_integral<T> && !is_vec<T>, "quern: range counts with an integer scalar: write range(0u, n) with "
                                                "int or uint bounds");
}

}  // namespace quern_detail

/// Runs `then` where the condition holds; `.elif_(condition, …)` and `.else_(…)` may follow.
template <class Then>
quern_detail::if_chain if_(quern_detail::condition c, Then&& then) {
    return quern_detail::if_chain(c, then);
}

/// first, first + step, … below last; host values take the traced operand's type, or that of the body's parameter. The
/// step is positive; the count never wraps at its end. first, last and step are evaluated once. A step that is not
/// positive is a usage_error.
template <class First, class Last, class Step>
    requires(!std::is_same_v<Step, quern_detail::location>)
auto range(const First& first, const Last& last, const Step& step,
           quern_detail::location where = quern_detail::location::current()) {
    using T = typename quern_detail::range_type<First, Last, Step>::type;
    quern_detail::check_range_type<T>();
    if constexpr (quern_detail::is_traced<First> || quern_detail::is_traced<Last> || quern_detail::is_traced<Step>) {
        bool is_positive = true;
        if constexpr (!quern_detail::is_traced<Step>) is_positive = step > 0;
        return quern_detail::range_of<T>{quern_detail::capture<T>(first), quern_detail::capture<T>(last),
                                         quern_detail::capture<T>(step), is_positive, where};  // braces: in this order
    } else return quern_detail::host_range<First, Last, Step>(first, last, step, where);
}
template <class First, class Last>
auto range(const First& first, const Last& last, quern_detail::location where = quern_detail::location::current()) {
    return range(first, last, 1, where);
}

/// Runs body(val<T> i) for each value of the range.
template <class T, class Body>
void for_(const quern_detail::range_of<T>& r, Body&& body) {
    if (!r.step_is_positive) quern_detail::fail_usage("the step of a range must be positive", r.where);
    // rounds are counted in 32 bits or more
    using Count = std::conditional_t<sizeof(T) >= sizeof(int), T, std::conditional_t<std::is_signed_v<T>, int, uint>>;
    const auto converted = []<class To>(quern_detail::node n, quern_detail::type_tag<To>) {
        return std::is_same_v<T, Count> ? n : quern_detail::record_operation(quern_detail::op::cast, quern_detail::type_of<To>, &n, 1);
    };
    constexpr quern_detail::type_tag<Count> count{};
    const quern_detail::node first = converted(r.first, count), last = converted(r.last, count), step = converted(r.step, count);
    const quern_detail::node i = converted(quern_detail::begin_for(first, last, step, quern_detail::type_of<Count>, r.where),
                                           quern_detail::type_tag<T>{});
    static_assert(std::is_invocable_v<Body&, val<T>>, "quern: the body of for_ takes the counter, of the range's type: "
                                                      "write for_(range(0u, n), [&](val<uint> i) { … })");
    if constexpr (std::is_invocable_v<Body&, val<T>>) {
        quern_detail::check_body<decltype(body(val<T>::from_node(i)))>();
        body(val<T>::from_node(i));
    }
    quern_detail::end_for();
}

template <class First, class Last, class Step, class Body>
void for_(const quern_detail::host_range<First, Last, Step>& r, Body&& body) {
    using Common = typename quern_detail::range_type<First, Last, Step>::type;
    using T = typename quern_detail::counter_type<Body, Common, Common, int, uint, std::int64_t, std::uint64_t>::type;
    for_(quern_detail::range_of<T>{quern_detail::capture<T>(r.first), quern_detail::capture<T>(r.last),
                                   quern_detail::capture<T>(r.step), r.step > 0, r.where}, body);
}

/// Evaluates `head()` before every round and runs `body` while it holds.
template <class Head, class Body>
void while_(Head&& head, Body&& body, quern_detail::location where = quern_detail::location::current()) {
    static_assert(!quern_detail::is_traced<Head>, "quern: a while_ condition is evaluated again before every round: write "
                                            "while_([&] { return condition; }, [&] { … })");
    if constexpr (!quern_detail::is_traced<Head>) {
        static_assert(quern_detail::is_traced<decltype(head())>,
                      "quern: this condition is a host value, known while tracing: write a plain C++ while or for");
        quern_detail::begin_while(where);
        {
            const quern_detail::condition c(head(), where);
            quern_detail::begin_while_body(c.value, where);
        }
        quern_detail::check_body<decltype(body())>();
        body();
        quern_detail::end_while();
    }
}

/// Leaves the innermost traced loop, also from inside if_ and match.
inline void break_(quern_detail::location where = quern_detail::location::current()) { quern_detail::record_break(where); }
/// Goes on with the next round of the innermost traced loop.
inline void continue_(quern_detail::location where = quern_detail::location::current()) { quern_detail::record_continue(where); }
/// Ends this invocation.
inline void return_(quern_detail::location where = quern_detail::location::current()) { quern_detail::record_return(where); }

/// a and b(): b runs only where a holds. `and_then(i < n, [&] { return x[i] > 0.f; })`
template <class Next>
val<bool> and_then(quern_detail::condition a, Next&& b) {
    const var<bool> result(false, a.where);
    if_(a, [&] { result.traced_store(quern_detail::condition(b(), a.where).value, a.where); });
    return val<bool>(result, a.where);
}
/// a or b(): b runs only where a does not hold.
template <class Next>
val<bool> or_else(quern_detail::condition a, Next&& b) {
    const var<bool> result(true, a.where);
    if_(a, [] {}).else_([&] { result.traced_store(quern_detail::condition(b(), a.where).value, a.where); });
    return val<bool>(result, a.where);
}

}  // namespace quern
