"""What BBR's authors say in the draft of 2026 that version 3 does, and what two evaluations say of it."""
