/// Which of a file's pictures become files.
enum PictureSelection: Hashable, Sendable {
    /// All in one file where the format can hold them, else the one that the file presents itself by.
    case all
    /// One, counted from 0.
    case one(Int)
    /// Each in a file of its own.
    case each
}
