package chat

import "time"

// probeClock is the time of probes: any fixed one, so that they are
// repeatable.
func probeClock() time.Time { return time.Date(2026, 3, 9, 14, 5, 7, 0, time.UTC) }
