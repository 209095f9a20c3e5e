using System.Globalization;

namespace Ioxide.Http2;

/// <summary>The field Date: one text per second, the same object for all of its answers. Threads: any.</summary>
internal static class DateText
{
    // The next second's beginning is found by a clock that costs less: Environment.TickCount64.
    private static Entry s_entry = new(0, "");

    internal static string Now
    {
        get
        {
            Entry entry = Volatile.Read(ref s_entry);
            if (Environment.TickCount64 >= entry.EndTick)
            {
                // Threads that see a new second at the same time may create it twice.
                entry = Entry.Create();
                Volatile.Write(ref s_entry, entry);
            }

            return entry.Text;
        }
    }

    private sealed record Entry(long EndTick, string Text)
    {
        internal static Entry Create()
        {
            long tick = Environment.TickCount64;
            long now = DateTime.UtcNow.Ticks;
            long second = now / TimeSpan.TicksPerSecond;
            long leftMs = (((second + 1) * TimeSpan.TicksPerSecond) - now) / TimeSpan.TicksPerMillisecond;
            string text = new DateTime(second * TimeSpan.TicksPerSecond, DateTimeKind.Utc).ToString("R", CultureInfo.InvariantCulture);

            // Of a second whose last millisecond has begun, each answer looks again.
            return new Entry(tick + leftMs, text);
        }
    }
}
