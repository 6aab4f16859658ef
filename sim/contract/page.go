package contract

// The parameters of requests for a page of a list.
var (
	sortOfList = inQuery("sort", "property[,property…][,asc|desc]; repeatable.", false,
		Type{JSON: "array", Elements: &Type{JSON: "string"}})
	sizeOfList = inQuery("size", "Elements on a page.", false, integer("", 1))
	pageOfList = inQuery("page", "The page, from 0.", false, integer("", 0))
)

// pageOf returns a page of a list (section 2.6).
func pageOf(name string, element *Object) *Object {
	return answered(name,
		member("links", arrayOf(link), written(GroupsListLinks)),
		member("content", arrayOf(element)),
		member("page", object(answered("",
			member("size", integer("", 1), same),
			member("totalElements", integer("", 0)),
			member("totalPages", integer("", 0)),
			member("number", integer("From 0.", 0), same)))))
}

var link = answered("Link",
	member("rel", oneOf("first", "prev", "self", "next", "last").values(GroupsListLinks), written(GroupsListLinks)),
	member("href", textType("Absolute."), written(GroupsListLinks)),
)
