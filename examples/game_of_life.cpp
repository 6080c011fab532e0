// Conway's Game of Life on a torus: a two-dimensional launch, and two buffers that take turns.
#include <quern/quern.hpp>

#include <algorithm>
#include <random>
#include <utility>
#include <vector>

#include "support/program.hpp"

using namespace quern;

/// One generation; a cell is 0 or 1. The launch's extents are the board's.
kernel game_of_life{"game_of_life", [](out<uint> next, in<uint> now) {
    val x = global_id<2>().x(), y = global_id<2>().y();
    val width = extent<2>().x(), height = extent<2>().y();
    val left = select(x == 0, width, x) - 1u, right = select(x + 1u == width, 0u, x + 1u);
    val above = select(y == 0, height, y) - 1u, below = select(y + 1u == height, 0u, y + 1u);

    var neighbours = 0u;
    for (const val<uint>& row : {above, y, below})
        for (const val<uint>& column : {left, x, right}) neighbours += now[row * width + column];
    val alive = now[y * width + x];
    neighbours -= alive;
    next[y * width + x] = select((neighbours == 3) | ((neighbours == 2) & (alive == 1)), 1u, 0u);
}};

struct board {
    std::size_t width, height;
    std::vector<uint> cells = std::vector<uint>(width * height);

    uint& operator()(std::size_t x, std::size_t y) { return cells[y % height * width + x % width]; }
};

board advance(const device& gpu, board b, std::size_t generations) {
    buffer<uint> now = gpu.upload(b.cells), next = gpu.make_buffer<uint>(b.cells.size());
    for (std::size_t g = 0; g < generations; ++g) {
        gpu.launch(game_of_life, over{b.width, b.height}, next, now);
        std::swap(now, next);
    }
    now.download(std::span(b.cells));
    return b;
}

/// The same in plain C++.
board advance_plainly(board b, std::size_t generations) {
    for (std::size_t g = 0; g < generations; ++g) {
        board next = b;
        for (std::size_t y = 0; y < b.height; ++y)
            for (std::size_t x = 0; x < b.width; ++x) {
                uint n = 0;
                for (std::size_t i = 0; i < 9; ++i)
                    if (i != 4) n += b(x + b.width + i % 3 - 1, y + b.height + i / 3 - 1);
                next(x, y) = n == 3 || (n == 2 && b(x, y) == 1);
            }
        b = std::move(next);
    }
    return b;
}

board glider_at(std::size_t x, std::size_t y) {
    board b{40, 30};
    for (const auto& [dx, dy] : {std::pair{1u, 0u}, {2u, 1u}, {0u, 2u}, {1u, 2u}, {2u, 2u}}) b(x + dx, y + dy) = 1;
    return b;
}

int main(int argc, char** argv) {
    std::size_t width = 2048, height = 1024, generations = 20;
    examples::program program{"game_of_life", "a cellular automaton: two dimensions, two buffers that take turns"};
    program.option("--width", width, "cells").option("--height", height, "cells");
    program.option("--generations", generations, "generations");
    return program.run(argc, argv, game_of_life, [&](const device& gpu) -> examples::outcome {
        game_of_life.prepare(gpu);
        // A glider moves by one cell each way in four generations, here over both edges of the torus.
        const board moved = advance(gpu, glider_at(36, 27), 4 * 8);
        std::string mistake = examples::find_difference(moved.cells, glider_at(44, 35).cells);
        if (!mistake.empty()) mistake = "glider: " + mistake;

        board soup{width, height};
        std::mt19937 random(3);
        std::generate(soup.cells.begin(), soup.cells.end(), [&] { return static_cast<uint>(random() % 3 == 0); });
        const examples::stopwatch watch;
        const board result = advance(gpu, soup, generations);
        const double ms = watch.ms();
        if (mistake.empty())
            mistake = examples::find_difference(result.cells, advance_plainly(soup, generations).cells);
        const std::string area = std::to_string(width) + " x " + std::to_string(height);
        return {area + ", " + std::to_string(generations) + " generations", ms, "plain C++, and a glider's path",
                mistake};
    });
}
