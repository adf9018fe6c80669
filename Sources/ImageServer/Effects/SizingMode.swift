/// How a picture gets the width and height that a query asks for.
enum SizingMode: String, CaseIterable {
    case fit
    case fill
    case cover
    case scale
    case smartCrop = "smart-crop"
    case pad

    /// The same as an effect: its name, and the values for a size.
    func effect(_ size: String) -> (name: String, values: String) {
        self == .pad ? ("size", "\(size),pad") : (rawValue, size)
    }
}
