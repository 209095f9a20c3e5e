namespace Ioxide.AspNetCore;

/// <summary>Makes connection ids of the form that Kestrel's logs have: 13 characters, rising, unlike across restarts.</summary>
internal static class ConnectionIds
{
    private const string Digits = "0123456789ABCDEFGHIJKLMNOPQRSTUV";
    private const int Length = 13;
    private const int BitsPerDigit = 5;

    private static long s_last = DateTime.UtcNow.Ticks;

    internal static string Next() => string.Create(Length, Interlocked.Increment(ref s_last), static (buffer, id) =>
    {
        for (int index = Length - 1; index >= 0; index--)
        {
            buffer[index] = Digits[(int)(id & (Digits.Length - 1))];
            id >>= BitsPerDigit;
        }
    });
}
