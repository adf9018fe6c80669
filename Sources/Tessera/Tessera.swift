@_exported public import ImageFormats
@_exported public import Raster
