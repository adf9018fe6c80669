@_exported public import ImageEffects
@_exported public import ImageFormats
@_exported public import ImageLoading
@_exported public import ImagePyramid
@_exported public import Raster
@_exported public import ImageViews
