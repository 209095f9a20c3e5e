namespace Ioxide.Files.Tests;

/// <summary>Native memory of all snapshots of the process.</summary>
internal static class NativeMemory
{
    /// <summary>Bytes that are left when nothing more is freed: hosts of tests before may let go of theirs late.</summary>
    internal static async Task<long> SettledAsync()
    {
        const int QuietRounds = 4;
        long bytes = BodyChunk.AllocatedBytes;
        for (int quiet = 0; quiet < QuietRounds; quiet++)
        {
            await Task.Delay(20);
            GC.Collect();
            GC.WaitForPendingFinalizers();
            long now = BodyChunk.AllocatedBytes;
            if (now != bytes)
            {
                bytes = now;
                quiet = -1;
            }
        }

        return bytes;
    }
}
