#include "backends/cpu/import_table.hpp"

#include <math.h>

#include <cstddef>
#include <utility>

#include "platform/libm.hpp"

namespace quern::cpu {
namespace {

/// A table function by its number of operands.
template <class T, class Operands>
struct function;
template <class T, std::size_t... Operand>
struct function<T, std::index_sequence<Operand...>> {
    template <std::size_t>
    using operand = T;
    using type = T (*)(operand<Operand>...);
};
template <class T, int Operands>
using function_of = typename function<T, std::make_index_sequence<Operands>>::type;

template <class Function>
const void* address(Function f) {
    return reinterpret_cast<const void*>(f);
}

}  // namespace

const void* const* imports() {
#define QUERN_CPU_IMPORT_ADDRESS(op, operands, float_function, double_function)  \
    address(static_cast<function_of<float, operands>>(float_function)),              \
        address(static_cast<function_of<double, operands>>(double_function)),
    static const void* const table[] = {QUERN_CPU_IMPORTS(QUERN_CPU_IMPORT_ADDRESS)};
#undef QUERN_CPU_IMPORT_ADDRESS
    return table;
}

}  // namespace quern::cpu
