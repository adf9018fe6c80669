// Everything that a ported file needs, so that one import takes the place of the original's. A protocol declared here shadows
// the one of the same name in ImageLoading, unless a file imports that module too.
@_exported public import ImageEffects
@_exported public import ImageFormats
@_exported public import ImageLoading
@_exported public import ImagePyramid
@_exported public import ImageViews
@_exported public import JPNGContainer
@_exported public import Raster
