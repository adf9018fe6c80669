extension ImageMetadata {
    /// When the picture came about, as EXIF says.
    public struct Dates: Hashable, Sendable {
        /// When it was taken.
        public var original: ImageDate?
        /// When it became numbers: for a scan, when it was scanned.
        public var digitized: ImageDate?
        /// When the file was last changed.
        public var modified: ImageDate?

        /// Those that are known.
        public init(original: ImageDate? = nil, digitized: ImageDate? = nil, modified: ImageDate? = nil) {
            self.original = original
            self.digitized = digitized
            self.modified = modified
        }
    }

    /// The dates in the EXIF block.
    public var dates: Dates { exif.flatMap { EXIF($0) }?.dates ?? Dates() }
}
