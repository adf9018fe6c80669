package import ImageFormats
package import Platform

/// A picture in a list: what its name and the file system say, the file not having been opened.
package struct ListedPicture: Sendable {
    /// What it is called.
    package let identifier: PictureIdentifier
    /// How long its file is.
    package let byteCount: Int
    /// When it was last written.
    package let modificationTime: FileTime
    /// What its extension says it is; nil for a pyramid.
    package let format: ImageFormat?
    /// Its name as it is put in order.
    let naturalName: NaturalName
}
