import os
from datetime import datetime, timezone

import rudderstack.analytics as analytics

analytics.write_key = os.environ["WRITE_KEY"]
analytics.dataPlaneUrl = os.environ["ENDPOINT"]

analytics.identify("u1", {"plan": "pro"})
analytics.track("u1", "Order Completed", {"total": 12.5})
analytics.page("u1", name="Home", properties={"title": "Shop"})
analytics.screen("u1", name="Main", properties={"tab": "one"})
analytics.group("u1", "g1", {"employees": 3})
analytics.alias("a1", "u1")
long_ago = datetime(2015, 2, 2, 0, 30, 8, 276000, tzinfo=timezone.utc)
analytics.track("u1", "Long Ago", {"total": 1}, timestamp=long_ago)
analytics.shutdown()
