/// An animation that arrived: its frames, decoded when they are asked for, by any task.
public final class ImageAnimation: Sendable {}
