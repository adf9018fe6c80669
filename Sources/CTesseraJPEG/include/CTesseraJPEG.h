#ifndef CTESSERA_JPEG_H
#define CTESSERA_JPEG_H

#endif
