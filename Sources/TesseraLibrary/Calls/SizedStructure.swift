internal import CTessera

/// A structure of the interface, which begins with its size in bytes as the caller was compiled.
protocol SizedStructure {
    /// All members zero.
    init()
    /// The size in bytes.
    var size: Int { get set }
}

extension tessera_error: SizedStructure {}
extension tessera_format_info: SizedStructure {}
extension tessera_limits: SizedStructure {}
extension tessera_open_options: SizedStructure {}
extension tessera_source: SizedStructure {}
extension tessera_info: SizedStructure {}
extension tessera_decode_options: SizedStructure {}
extension tessera_layout: SizedStructure {}
extension tessera_thumbnail_options: SizedStructure {}
extension tessera_encode_options: SizedStructure {}
extension tessera_sink: SizedStructure {}
extension tessera_effect_options: SizedStructure {}
extension tessera_animation_info: SizedStructure {}
extension tessera_tiles_options: SizedStructure {}
extension tessera_tiles_info: SizedStructure {}
extension tessera_level_info: SizedStructure {}
extension tessera_pyramid_options: SizedStructure {}
extension tessera_jpng_parts: SizedStructure {}
extension tessera_isolation_options: SizedStructure {}
