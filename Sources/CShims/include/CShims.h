// `static inline` wrappers for what Swift cannot import: variadic functions, macros, epoll and eventfd. No logic.
#ifndef CLOAKROOM_SHIMS_H
#define CLOAKROOM_SHIMS_H

#include "CShimsEvents.h"
#include "CShimsProcess.h"
#include "CShimsSockets.h"

#endif
