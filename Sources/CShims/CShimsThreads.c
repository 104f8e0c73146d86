#include "CShims.h"

static _Thread_local void *current_loop;

void *cloakroom_current_loop(void) { return current_loop; }

void cloakroom_set_current_loop(void *loop) { current_loop = loop; }
