package main

import (
	"os"
	"time"

	"github.com/segmentio/analytics-go/v3"
)

func main() {
	config := analytics.Config{Endpoint: os.Getenv("ENDPOINT")}
	client, err := analytics.NewWithConfig(os.Getenv("WRITE_KEY"), config)
	if err != nil {
		panic(err)
	}
	longAgo := time.Date(2015, 2, 2, 0, 30, 8, 276_000_000, time.UTC)
	for _, message := range []analytics.Message{
		analytics.Identify{UserId: "u1", Traits: analytics.Traits{"plan": "pro"}},
		analytics.Track{UserId: "u1", Event: "Order Completed", Properties: analytics.Properties{"total": 12.5}},
		analytics.Page{UserId: "u1", Name: "Home", Properties: analytics.Properties{"title": "Shop"}},
		analytics.Screen{UserId: "u1", Name: "Main", Properties: analytics.Properties{"tab": "one"}},
		analytics.Group{UserId: "u1", GroupId: "g1", Traits: analytics.Traits{"employees": 3}},
		analytics.Alias{UserId: "u1", PreviousId: "a1"},
		analytics.Track{UserId: "u1", Event: "Long Ago", Properties: analytics.Properties{"total": 1}, Timestamp: longAgo},
	} {
		if err := client.Enqueue(message); err != nil {
			panic(err)
		}
	}
	if err := client.Close(); err != nil {
		panic(err)
	}
}
