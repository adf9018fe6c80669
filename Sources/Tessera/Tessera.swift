// The types of a program's first day. Everything else is an import away: `import ImageFormats` has the codecs, row sources
// and sinks, `import Raster` rows and pixel types, `import ImageEffects` the effects' own types, `import ImagePyramid` tile
// stores and sinks, `import ImageLoading` the pipeline's parts, `import ImageViews` the models of views. Members of the types
// below come along whatever module declares them: `.cornerRadius(20)` needs no other import.

@_exported public import struct Platform.ImageError
@_exported public import enum Raster.AlphaMode
@_exported public import struct Raster.Bitmap
@_exported public import struct Raster.BitmapInfo
@_exported public import enum Raster.ColorProfile
@_exported public import struct Raster.DecodingPlan
@_exported public import enum Raster.DynamicRange
@_exported public import struct Raster.GainMap
@_exported public import struct Raster.GainMapMetadata
@_exported public import struct Raster.Image
@_exported public import class Raster.ImageExecutor
@_exported public import struct Raster.MutableBitmap
@_exported public import enum Raster.Orientation
@_exported public import enum Raster.PixelFormat
@_exported public import struct Raster.PixelRect
@_exported public import struct Raster.PixelSize
@_exported public import struct Raster.RGBA8
@_exported public import enum Raster.ResamplingFilter
@_exported public import struct ImageFormats.AnimatedImage
@_exported public import struct ImageFormats.CodecRegistry
@_exported public import struct ImageFormats.DecodingLimits
@_exported public import struct ImageFormats.DecodingOptions
@_exported public import struct ImageFormats.EncodingOptions
@_exported public import struct ImageFormats.ImageDestination
@_exported public import struct ImageFormats.ImageFormat
@_exported public import struct ImageFormats.ImageHeader
@_exported public import struct ImageFormats.ImageMetadata
@_exported public import class ImageFormats.ImageSource
@_exported public import enum ImageFormats.JPNG
@_exported public import enum ImageFormats.MetadataPolicy
@_exported public import class ImageFormats.Source
@_exported public import enum ImageEffects.BlendMode
@_exported public import enum ImageEffects.ContentMode
@_exported public import struct ImageEffects.EffectChain
@_exported public import protocol ImageEffects.ImageEffect
@_exported public import struct ImageEffects.ViewEffects
@_exported public import class ImageLoading.DataCache
@_exported public import struct ImageLoading.DataLoader
@_exported public import class ImageLoading.ImageCache
@_exported public import struct ImageLoading.ImageContainer
@_exported public import class ImageLoading.ImagePipeline
@_exported public import class ImageLoading.ImagePrefetcher
@_exported public import protocol ImageLoading.ImageProcessing
@_exported public import struct ImageLoading.ImageRequest
@_exported public import struct ImageLoading.ImageResponse
@_exported public import class ImageLoading.ImageTask
@_exported public import class ImagePyramid.ArrivingImage
@_exported public import enum ImagePyramid.Pyramid
@_exported public import struct ImagePyramid.PyramidGeometry
@_exported public import enum ImagePyramid.PyramidLayout
@_exported public import struct ImagePyramid.PyramidProgress
@_exported public import struct ImagePyramid.TileAddress
@_exported public import class ImagePyramid.TiledImage
