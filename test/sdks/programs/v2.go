package main

import (
	"os"

	"github.com/segmentio/analytics-go"
)

type object = map[string]interface{}

// This version has no screen call.
func main() {
	client := analytics.New(os.Getenv("WRITE_KEY"))
	client.Endpoint = os.Getenv("ENDPOINT")
	longAgo := analytics.Message{Timestamp: "2015-02-02T00:30:08.276Z"}
	for _, err := range []error{
		client.Identify(&analytics.Identify{UserId: "u1", Traits: object{"plan": "pro"}}),
		client.Track(&analytics.Track{UserId: "u1", Event: "Order Completed", Properties: object{"total": 12.5}}),
		client.Page(&analytics.Page{UserId: "u1", Name: "Home", Traits: object{"title": "Shop"}}),
		client.Group(&analytics.Group{UserId: "u1", GroupId: "g1", Traits: object{"employees": 3}}),
		client.Alias(&analytics.Alias{UserId: "u1", PreviousId: "a1"}),
		client.Track(&analytics.Track{UserId: "u1", Event: "Long Ago", Properties: object{"total": 1}, Message: longAgo}),
		client.Close(),
	} {
		if err != nil {
			panic(err)
		}
	}
}
