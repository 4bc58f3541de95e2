package runs

import (
	"context"

	"weft/backend/sessionoptions"
)

// Offers returns what the agent of a member can do, as it last said it; nothing if it has never run in the space.
func (ss Sessions) Offers(ctx context.Context, spaceID, memberID, agentID string) (sessionoptions.Can, error) {
	was, err := ss.m.saved.State(ctx, spaceID)
	if err != nil {
		return sessionoptions.Can{}, err
	}
	return was.Offered(ctx, memberID, agentID)
}

// PrepareBranch has the agent of a branch copy the session that the branch came from, if it makes copies and there is one. It blocks until that is done.
func (ss Sessions) PrepareBranch(ctx context.Context, spaceID string) error {
	space, err := ss.m.opt.Space(ctx, spaceID)
	if err != nil {
		return err
	}
	member, _ := space.Member("")
	can, err := ss.Offers(ctx, spaceID, member.ID, member.AgentID)
	if err != nil || !can.Fork {
		return err
	}
	if _, ok, err := ss.m.opt.Store.Sessions.ToFork(ctx, spaceID, member.ID, member.AgentID); err != nil || !ok {
		return err
	}
	return ss.Prepare(ctx, spaceID, member.ID)
}
