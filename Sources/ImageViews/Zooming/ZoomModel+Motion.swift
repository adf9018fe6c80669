extension ZoomModel {
    /// Whether it moves by itself: `advance` has something to do.
    public var isMoving: Bool { motion != nil }

    /// Lets time pass. The same time in other steps ends at the same place.
    /// - Returns: Whether it is still moving.
    @discardableResult
    public mutating func advance(by time: Duration) -> Bool {
        let seconds = max(0, time / .seconds(1))
        switch motion {
        case nil: break
        case .glide(var glide):
            glide.time += seconds
            offset = glide.offset
            motion = glide.isOver ? nil : .glide(glide)
        case .transition(var transition):
            transition.time += seconds
            (zoom, offset) = transition.current
            motion = transition.isOver ? nil : .transition(transition)
        }
        return motion != nil
    }

    /// Goes to the end of what it is on its way to.
    mutating func finishTransition() {
        guard case .transition(let transition) = motion else { return }
        (zoom, offset) = (transition.endZoom, transition.endOffset)
        motion = nil
    }
}
