/// Every subject by the name that the comparison calls it. A new one is a file in `Subjects/` and a line here.
let subjects: [String: any (Subject & SendableMetatype).Type] = [
    "command": CommandSubject.self,
    "encode": EncodeSubject.self,
    "decode": DecodeSubject.self,
    "effect": EffectSubject.self,
    "disk-cache": DiskCacheSubject.self,
    "decode-into": DecodeIntoSubject.self,
    "preview": PreviewSubject.self,
    "thumbnail": ThumbnailSubject.self,
    "thumbnails": ThumbnailsSubject.self,
    "memory-cache": MemoryCacheSubject.self,
    "requests": RequestsSubject.self,
    "libjpeg-decode-into": LibJPEGDecodeIntoSubject.self,
]
