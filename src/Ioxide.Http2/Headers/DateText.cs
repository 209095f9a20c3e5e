using System.Globalization;

namespace Ioxide.Http2;

/// <summary>The field Date: one text per second, the same object for all of its answers. Threads: any.</summary>
internal static class DateText
{
    private static Entry s_entry = new(0, "");

    internal static string Now
    {
        get
        {
            long second = DateTime.UtcNow.Ticks / TimeSpan.TicksPerSecond;
            Entry entry = Volatile.Read(ref s_entry);
            if (entry.Second != second)
            {
                // Threads that see a new second at the same time may create it twice.
                entry = new Entry(second, new DateTime(second * TimeSpan.TicksPerSecond, DateTimeKind.Utc).ToString("R", CultureInfo.InvariantCulture));
                Volatile.Write(ref s_entry, entry);
            }

            return entry.Text;
        }
    }

    private sealed record Entry(long Second, string Text);
}
