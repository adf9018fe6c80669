/// What moves a picture while time passes.
enum ZoomMotion: Hashable, Sendable {
    /// It goes on after a pan, or comes back.
    case glide(ZoomGlide)
    /// It is on its way from one place and size to another.
    case transition(ZoomTransition)
}
