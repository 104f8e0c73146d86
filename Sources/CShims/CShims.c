#include "CShims.h"

#if defined(__OPTIMIZE__) && !defined(_FORTIFY_SOURCE)
#error "an optimised build needs -D_FORTIFY_SOURCE=2: Package.swift says so for release"
#endif
