#ifndef TESSERA_AVC_H
#define TESSERA_AVC_H

#include "include/CTesseraHEIF.h"

/// Loads libopenh264 if it is installed. Called once, when libheif has been loaded.
void tessera_avc_register(void);

#endif
