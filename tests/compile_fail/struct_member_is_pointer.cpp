// expect: quern: a struct on a device holds no pointers: store an index into a buffer
#include <quern/quern.hpp>

struct node {
    float value;
    node* next;
};
QUERN_STRUCT(node, value, next);
