/// The meaning of coded samples, by the codes of ISO/IEC 23091-2 (ITU-T H.273). 2 is unspecified.
struct VideoColors: Hashable {
    var primaries = 2
    var transfer = 2
    var matrix = 2
    /// Whether black is 0 and white 255, not 16 and 235.
    var isFullRange = false
}
