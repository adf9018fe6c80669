#if GTK
package import ImageViews

/// How a picture lies in a rectangle.
package enum PictureFit: Int, Sendable {
    /// All of it is seen, no larger than it is.
    case fitNoLarger
    /// All of it is seen, as large as there is room.
    case fit
    /// It covers all of the rectangle.
    case cover
    /// It is as large as it is, and may go beyond the rectangle.
    case ownSize

    /// Where a picture of `size` points goes, its middle in that of `rect`.
    package func place(_ size: ViewSize, in rect: ViewRect) -> ViewRect {
        guard !size.isEmpty, !rect.isEmpty else { return ViewRect(x: rect.x, y: rect.y, width: 0, height: 0) }
        let (across, down) = (rect.width / size.width, rect.height / size.height)
        let scale =
            switch self {
            case .fitNoLarger: min(1, across, down)
            case .fit: min(across, down)
            case .cover: max(across, down)
            case .ownSize: 1.0
            }
        let (width, height) = (size.width * scale, size.height * scale)
        return ViewRect(
            x: rect.x + (rect.width - width) / 2, y: rect.y + (rect.height - height) / 2, width: width, height: height)
    }
}

extension ViewRect {
    /// The rectangle with its edges at device pixels.
    package func snapped(_ scaleFactor: Double) -> ViewRect {
        let (left, top) = ((x * scaleFactor).rounded() / scaleFactor, (y * scaleFactor).rounded() / scaleFactor)
        let (right, bottom) = (
            (right * scaleFactor).rounded() / scaleFactor, (bottom * scaleFactor).rounded() / scaleFactor
        )
        return ViewRect(x: left, y: top, width: right - left, height: bottom - top)
    }
}
#endif
