package archive

import "weft/backend/transcript"

// Refs returns the references to blobs of a segment, without its items.
func Refs(s *transcript.Segment) []*transcript.Ref {
	if s.Display == nil {
		return nil
	}
	return ContentRefs(s.Display)
}

// ContentRefs returns the references of a piece of content.
func ContentRefs(c *transcript.Content) []*transcript.Ref { return there(c.Ref, c.OldRef, c.NewRef) }

// CallRefs returns the references of a call. The lists that ContentRef and LocationsRef name may have further ones in them.
func CallRefs(c *transcript.ToolCall) []*transcript.Ref {
	list := there(c.TitleRef, c.InputRef, c.ContentRef, c.LocationsRef, c.OutputRef)
	for i := range c.Content {
		list = append(list, ContentRefs(&c.Content[i])...)
	}
	for i := range c.Terminals {
		list = append(list, there(c.Terminals[i].Ref)...)
	}
	for i := range c.Permissions {
		list = append(list, there(c.Permissions[i].ReadingRef)...)
	}
	return list
}

func there(refs ...*transcript.Ref) (list []*transcript.Ref) {
	for _, r := range refs {
		if r != nil {
			list = append(list, r)
		}
	}
	return list
}
