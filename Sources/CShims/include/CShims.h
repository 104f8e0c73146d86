// `static inline` wrappers for what Swift cannot import: variadic functions, macros, GNU's own functions, epoll and eventfd. No logic.
#ifndef CLOAKROOM_SHIMS_H
#define CLOAKROOM_SHIMS_H

#include "CShimsEvents.h"
#include "CShimsMemory.h"
#include "CShimsProcess.h"
#include "CShimsSockets.h"
#include "CShimsThreads.h"

#endif
