// Where encoded bytes go, so that encoding needs no other import.
@_exported public import class Platform.AtomicFile
@_exported public import class Platform.ByteBuffer
@_exported public import protocol Platform.ByteSink
@_exported public import class Platform.StandardOutput
