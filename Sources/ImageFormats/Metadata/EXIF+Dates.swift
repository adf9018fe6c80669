extension EXIF {
    /// The three dates. The one of the change stands in the first directory; the others, and what completes all three, in
    /// the one that it points to (EXIF 2.32, 4.6.4 and 4.6.5).
    var dates: ImageMetadata.Dates {
        let details = integer(.exifDirectory, in: first).flatMap { directory(at: $0) }
        return ImageMetadata.Dates(
            original: date(.original, in: details, .originalSubsecond, .originalOffset, in: details),
            digitized: date(.digitized, in: details, .digitizedSubsecond, .digitizedOffset, in: details),
            modified: date(.modified, in: first, .modifiedSubsecond, .modifiedOffset, in: details))
    }

    private func date(
        _ tag: Tag, in directory: EXIFDirectory?, _ subsecond: Tag, _ offset: Tag, in details: EXIFDirectory?
    ) -> ImageDate? {
        guard let directory, let text = text(tag, in: directory, limit: 20) else { return nil }
        return ImageDate(
            exif: text, subsecond: details.flatMap { self.text(subsecond, in: $0, limit: 16) },
            offset: details.flatMap { self.text(offset, in: $0, limit: 8) })
    }
}
