// expect: quern: a C array is not copied as a value: write std::array<float, 4>
#include <quern/quern.hpp>

struct taps {
    float weight[4];
};
QUERN_STRUCT(taps, weight);
