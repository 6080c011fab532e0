// The printed form: what it looks like, that it parses back, and that no bytes break the parser.
#include <catch2/catch.hpp>

#include <quern/error.hpp>

#include <string>

#include "dsl/ir/canonical.hpp"
#include "dsl/ir/literal.hpp"
#include "dsl/ir/text.hpp"
#include "dsl/ir/validator.hpp"
#include "tests/unit/random_kernel.hpp"

using namespace quern;
using ir::op;
using ir::scalar_kind;

TEST_CASE("A kernel is printed one statement a line with the user's names") {
    CHECK(ir::print(tests::saxpy()) == R"(kernel "saxpy" over math contract {
  buffer inout %y: f32
  buffer in %x: f32
  value %a: f32

  %i = global_id.x : u32
  %v0 = load %x[%i] : f32
  %v1 = mul %a, %v0 : f32
  %v2 = load %y[%i] : f32
  %v3 = add %v1, %v2 : f32
  store %y[%i], %v3
}
)");
}

TEST_CASE("Control flow is printed as nested blocks") {
    tests::maker k("control", 8);
    k.m.launch = ir::launch_kind::tiles;
    k.m.covers = {16, 16};
    const auto n = k.value("n", k.scalar(scalar_kind::i32));
    const auto t = k.local("t", n);
    k.while_(
        [&] { return k.op(op::gt, {k.get(t), k.i32(0)}); },
        [&] {
            k.for_(k.i32(-2), n, k.i32(1), [&](ir::value_id i) {
                const std::array cases{ir::switch_case{0xffff'ffff, k.block([&] { k.put(ir::break_statement{}); })}};
                k.b.append_switch(i, cases, k.block([&] { k.put(ir::continue_statement{}); }));
            });
            k.if_(
                k.op(op::eq, {k.get(t), n}), [&] { k.put(ir::barrier{}); },
                [&] { k.put(ir::fence{ir::scope::device}); });
        });
    k.put(ir::assume{k.boolean(true)});
    k.put(ir::return_statement{});
    CHECK(ir::print(k.finish()) == R"(kernel "control" tiles workgroup 8 1 1 covers 16 16 math contract cooperative {
  value %n: i32

  declare %t: i32
  store %t, %n
  while {
    %v0 = load %t : i32
    %v1 = gt %v0, 0i32 : bool
  } %v1 {
    for %v2 = -2i32 to %n step 1i32 : i32 {
      switch %v2 {
        case -1i32 {
          break
        }
        default {
          continue
        }
      }
    }
    %v3 = load %t : i32
    %v4 = eq %v3, %n : bool
    if %v4 {
      barrier
    } else {
      fence device
    }
  }
  assume true
  return
}
)");
}

TEST_CASE("Text parses back to the same text and the same canonical kernel") {
    for (const ir::module& m : tests::all_kernels()) {
        const std::string text = ir::print(m);
        const ir::module back = ir::parse(text);
        CHECK(ir::print(back) == text);
        CHECK(ir::hash(ir::canonicalise(back)) == ir::hash(ir::canonicalise(m)));
        CHECK_NOTHROW(ir::validate(back));
    }
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
        const ir::module m = tests::random_kernel(seed).make(30);
        const std::string text = ir::print(m);
        const ir::module back = ir::parse(text);
        CHECK(ir::print(back) == text);
        CHECK(ir::hash(ir::canonicalise(back)) == ir::hash(ir::canonicalise(m)));
    }
}

TEST_CASE("Constants are printed exactly") {
    const auto text = [](scalar_kind k, std::uint64_t bits) { return ir::print_literal({k, bits}); };
    CHECK(text(scalar_kind::boolean, 1) == "true");
    CHECK(text(scalar_kind::i8, 0x80) == "-128i8");
    CHECK(text(scalar_kind::i64, ~std::uint64_t{0}) == "-1i64");
    CHECK(text(scalar_kind::u64, ~std::uint64_t{0}) == "18446744073709551615u64");
    CHECK(text(scalar_kind::f32, 0x3dcc'cccd) == "0.1f32");
    CHECK(text(scalar_kind::f32, 0x4000'0000) == "2.0f32");
    CHECK(text(scalar_kind::f32, 0x8000'0000) == "-0.0f32");
    CHECK(text(scalar_kind::f32, 0x7f80'0000) == "f32(inf)");
    CHECK(text(scalar_kind::f32, 0xff80'0000) == "f32(-inf)");
    CHECK(text(scalar_kind::f32, 0x7fc0'0000) == "f32(nan)");
    CHECK(text(scalar_kind::f32, 0xffc0'1234) == "f32(0xffc01234)");
    CHECK(text(scalar_kind::f64, 0x3ff0'0000'0000'0001) == "1.0000000000000002f64");
    CHECK(text(scalar_kind::f16, 0x3800) == "0.5f16");
    CHECK(text(scalar_kind::bf16, 0x3f80) == "1.0bf16");
}

TEST_CASE("Every bit pattern of a constant survives text") {
    tests::random_source random(7);
    for (int kind = 1; kind <= static_cast<int>(scalar_kind::f64); ++kind)
        for (int i = 0; i < 2000; ++i) {
            const auto k = static_cast<scalar_kind>(kind);
            const std::uint64_t mask = ~std::uint64_t{0} >> (64 - ir::bit_width(k));
            std::uint64_t bits = random.below(std::size_t{1} << 32);
            bits = bits << 32 | random.below(std::size_t{1} << 32);
            if (i % 4 == 0) bits |= 0x7ff0'0000'7f80'7c00;  // near infinities and NaN
            if (i % 4 == 1) bits &= 0x800f'ffff'807f'83ff;  // denormals
            bits &= mask;
            const std::string text = ir::print_literal({k, bits});
            const std::size_t open = text.find('(');
            const auto back = open == std::string::npos
                                  ? ir::parse_literal(text)
                                  : ir::parse_literal_bits(k, text.substr(open + 1, text.size() - open - 2));
            INFO(text);
            REQUIRE(back);
            CHECK(back->bits == bits);
            CHECK(back->kind == k);
        }
}

TEST_CASE("Names that occur twice are told apart and nothing is mistaken for another") {
    tests::maker k("names");
    const auto y = k.buffer("acc", ir::access::write, k.scalar(scalar_kind::u32));
    const auto i = k.op(op::global_id, {}, 0);
    k.named(i, "acc.1");
    const auto a = k.named(k.op(op::add, {i, i}), "acc");
    const auto b = k.op(op::mul, {a, a});
    const auto c = k.named(k.op(op::sub, {b, a}), "strange name");
    const auto d = k.named(k.op(op::sub, {c, b}), "v0");
    k.store(y, i, d);
    const std::string text = ir::print(k.finish());
    CHECK(text == R"(kernel "names" over math contract {
  buffer out %acc: u32

  %acc.1 = global_id.x : u32
  %acc.2 = add %acc.1, %acc.1 : u32
  %v0 = mul %acc.2, %acc.2 : u32
  %strange_name = sub %v0, %acc.2 : u32
  %v0.1 = sub %strange_name, %v0 : u32
  store %acc[%acc.1], %v0.1
}
)");
    CHECK(ir::print(ir::parse(text)) == text);
}

TEST_CASE("Members without a name of their own are reached by number, and any kernel name is quoted") {
    tests::maker k("a \"name\"\\\n");
    const auto u32 = k.scalar(scalar_kind::u32);
    const std::array members{ir::member{0, u32, "same"}, ir::member{4, u32, "same"}, ir::member{8, u32, ""},
                             ir::member{12, u32, "ok"}};
    const auto type = ir::intern_struct(k.m, members, 16, 4);
    const auto p = k.buffer("p", ir::access::read_write, type);
    const auto zero = k.u32(0);
    k.put(ir::store{k.in_buffer(p, {k.index(zero), k.member(1)}),
                    k.b.load(k.in_buffer(p, {k.index(zero), k.member(3)}))});
    const std::string text = ir::print(k.finish());
    CHECK(text.find("kernel \"a \\22name\\22\\5c\\0a\" over") == 0);
    CHECK(text.find("struct<16, 4>{@0: u32, @4: u32, @8: u32, @12 ok: u32}") != std::string::npos);
    CHECK(text.find("store %p[0u32].@1, %v0") != std::string::npos);
    CHECK(text.find("load %p[0u32].ok") != std::string::npos);
    CHECK(ir::print(ir::parse(text)) == text);
    CHECK(ir::parse(text).name == "a \"name\"\\\n");
}

TEST_CASE("Text that is no kernel gets a usage error with file and line") {
    const std::string head = "kernel \"k\" over math contract {\n  buffer inout %y: u32\n  value %n: u32\n";
    const auto fails = [&](const std::string& body, const std::string& message) {
        INFO(body);
        CHECK_THROWS_AS(ir::parse(head + body, "bad.qir"), usage_error);
        CHECK_THROWS_WITH(ir::parse(head + body, "bad.qir"), Catch::Contains(message) && Catch::StartsWith("bad.qir:"));
    };
    fails("", "bad.qir:4: expected '}', not 'end of text'");
    fails("  nonsense\n}", "bad.qir:4: expected a statement, not 'nonsense'");
    fails("  %a = fly %n : u32\n}", "'fly' is no operation");
    fails("  %a = add %n, %m : u32\n}", "%m is not known here");
    fails("  %a = add %n, 1 : u32\n}", "expected a value or a constant such as 3u32, not '1'");
    fails("  %a = add %n, 300u8 : u32\n}", "300u8");
    fails("  %a = add %n, 1i32 : u32\n}", "bad.qir:4: add(u32, i32) -> u32 has operands of wrong types");
    fails("  %a = add %n, %n : f32\n}", "has a result of the wrong type");
    fails("  %n = add %n, %n : u32\n}", "%n is named twice");
    fails("  store %n[0u32], %n\n}", "bad.qir:4: %n is a value, not a place");
    fails("  store %y, %n\n}", "bad.qir:4: a place in the buffer %y begins with an index");
    fails("  store %y[0u32], %y\n}", "%y is a place; load it first");
    fails("\n\n  break\n}", "bad.qir:6: break_()");
    fails("  if true {\n    %a = add %n, %n : u32\n  }\n  store %y[0u32], %a\n}",
          "bad.qir:7: a value is used outside the block");
    fails("  %a = add %n, %n : vec5<u32>\n}", "'vec5' is no type");
    fails("  switch %n {\n    case 1i32 {\n    }\n    default {\n    }\n  }\n}",
          "the case is a i32, the selector a u32");
    fails("  for %k = 0u32 to %n step 0u32 : u32 {\n    store %y[%k], %k\n  }\n}",
          "bad.qir:4: the step of a for must be positive, not 0u32");
    fails("}\n}", "expected the end of the text");
    fails("  barrier\n}", "the kernel cooperates but is not marked so");
    fails("  declare %t: struct<8, 4>{@0 a: u32, @2 b: u32}\n}", "no sound layout");
    fails("  declare %t: array<u32, 4294967295>\n}", "bad.qir:4: the array is larger than 4 GiB");
}

TEST_CASE("No bytes break the parser") {
    const std::string deep_blocks = "kernel \"k\" over math contract {\n" + [] {
        std::string s;
        for (int i = 0; i < 100'000; ++i) s += "if true {";
        return s;
    }();
    CHECK_THROWS_WITH(ir::parse(deep_blocks), Catch::Contains("nested more than 512 deep"));
    std::string deep_types = "kernel \"k\" over math contract {\n value %a: ";
    for (int i = 0; i < 100'000; ++i) deep_types += "array<";
    CHECK_THROWS_WITH(ir::parse(deep_types), Catch::Contains("nested more than 64 deep"));

    tests::random_source random(1);
    int accepted = 0, refused = 0;
    for (const ir::module& m : tests::all_kernels()) {
        const std::string text = ir::print(m);
        for (int i = 0; i < 2000; ++i) {
            std::string broken = text;
            const int edits = 1 + static_cast<int>(random.below(3));
            for (int e = 0; e < edits && !broken.empty(); ++e) {
                const std::size_t at = random.below(broken.size());
                switch (random.below(4)) {
                    case 0: broken[at] = static_cast<char>(random.below(256)); break;
                    case 1: broken.erase(at, 1 + random.below(20)); break;
                    case 2: {
                        const std::size_t from = random.below(text.size());
                        broken.insert(at, text.substr(from, random.below(40)));
                        break;
                    }
                    default: broken.resize(at + 1);
                }
            }
            try {
                const ir::module parsed = ir::parse(broken);
                CHECK(ir::print(ir::parse(ir::print(parsed))) == ir::print(parsed));
                ir::canonicalise(parsed);
                ++accepted;
            } catch (const usage_error&) {
                ++refused;
            }
        }
    }
    CHECK(accepted > 100);
    CHECK(refused > 1000);
}
