// expect: quern: QUERN_NEWTYPE makes a type of an integer
#include <quern/quern.hpp>

QUERN_NEWTYPE(metres, float);
