package import ImageFormats
package import Platform

/// An image in a listing, described from its name and file status without opening the file.
package struct ListedPicture: Sendable {
    /// The image's path from the top.
    package let identifier: PictureIdentifier
    /// The file's size.
    package let byteCount: Int
    /// The file's last modification.
    package let modificationTime: FileTime
    /// The format by the file's extension; nil for a pyramid.
    package let format: ImageFormat?
    /// The sort key of its name.
    let naturalName: NaturalName
}
