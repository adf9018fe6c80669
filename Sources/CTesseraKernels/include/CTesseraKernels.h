#ifndef CTESSERA_KERNELS_H
#define CTESSERA_KERNELS_H

#include "tessera_blurring.h"
#include "tessera_compositing.h"
#include "tessera_gathering.h"
#include "tessera_gif.h"
#include "tessera_halving.h"
#include "tessera_inflate.h"
#include "tessera_jpeg.h"
#include "tessera_jpeg_coding.h"
#include "tessera_png.h"
#include "tessera_raster.h"
#include "tessera_rotation.h"
#include "tessera_similarity.h"
#include "tessera_tiff.h"

#endif
