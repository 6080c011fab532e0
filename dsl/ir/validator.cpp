#include "dsl/ir/validator.hpp"

#include <quern/error.hpp>

#include "dsl/ir/validation.hpp"

namespace quern::ir {

void check_well_formed(const module& m) {
    check_handles(m);
    check_types(m);
    check_structure(m);
}

void validate(const module& m) {
    try {
        check_well_formed(m);
    } catch (const malformation& found) {
        throw internal_error(
            fmt::format("{} (malformed IR: a bug in Quern; please report it with the kernel's IR, which "
                        "QUERN_DUMP=<folder> writes)",
                        found.text));
    }
    check_uniformity(m);
}

std::string describe(const module& m, location_id l) {
    if (l.number < m.locations.size()) {
        const location& at = m.locations[l.number];
        if (at.file.number < m.files.size()) return fmt::format("{}:{}", m.files[at.file.number], at.line);
    }
    return fmt::format("kernel '{}'", m.name);
}

}  // namespace quern::ir
