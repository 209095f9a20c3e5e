using Microsoft.Net.Http.Headers;

namespace Ioxide.Http2;

/// <summary>The field Date: one text per second, the same object for all of its answers. Threads: any.</summary>
internal static class DateText
{
    private static Entry s_entry = new(0, "");

    internal static string Now
    {
        get
        {
            // The next second's beginning is found by the clock that costs least.
            Entry entry = Volatile.Read(ref s_entry);
            long tick = Environment.TickCount64;
            if (tick >= entry.EndTick)
            {
                // Threads that see a new second at the same time may create it twice; of a second whose last millisecond has begun, each answer does.
                DateTimeOffset now = DateTimeOffset.UtcNow;
                entry = new Entry(tick + 999 - now.Millisecond, HeaderUtilities.FormatDate(now));
                Volatile.Write(ref s_entry, entry);
            }

            return entry.Text;
        }
    }

    private sealed record Entry(long EndTick, string Text);
}
