import com.segment.analytics.Analytics;
import com.segment.analytics.messages.AliasMessage;
import com.segment.analytics.messages.GroupMessage;
import com.segment.analytics.messages.IdentifyMessage;
import com.segment.analytics.messages.PageMessage;
import com.segment.analytics.messages.ScreenMessage;
import com.segment.analytics.messages.TrackMessage;
import java.time.Instant;
import java.util.Date;
import java.util.Map;

class Program {
  public static void main(String[] args) {
    Analytics analytics = Analytics.builder(System.getenv("WRITE_KEY")).endpoint(System.getenv("ENDPOINT")).build();
    analytics.enqueue(IdentifyMessage.builder().userId("u1").traits(Map.of("plan", "pro")));
    analytics.enqueue(TrackMessage.builder("Order Completed").userId("u1").properties(Map.of("total", 12.5)));
    analytics.enqueue(PageMessage.builder("Home").userId("u1").properties(Map.of("title", "Shop")));
    analytics.enqueue(ScreenMessage.builder("Main").userId("u1").properties(Map.of("tab", "one")));
    analytics.enqueue(GroupMessage.builder("g1").userId("u1").traits(Map.of("employees", 3)));
    analytics.enqueue(AliasMessage.builder("a1").userId("u1"));
    Date longAgo = Date.from(Instant.parse("2015-02-02T00:30:08.276Z"));
    analytics.enqueue(
        TrackMessage.builder("Long Ago").userId("u1").properties(Map.of("total", 1)).timestamp(longAgo));
    analytics.shutdown();
  }
}
