#include "CShimsProcess.h"

#include <sys/prctl.h>

int cloakroom_set_dumpable(int dumpable) { return prctl(PR_SET_DUMPABLE, dumpable, 0, 0, 0); }

int cloakroom_get_dumpable(void) { return prctl(PR_GET_DUMPABLE, 0, 0, 0, 0); }
