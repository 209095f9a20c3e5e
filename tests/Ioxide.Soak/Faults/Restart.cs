namespace Ioxide.Soak;

/// <summary>Something that listens is stopped gracefully and started again.</summary>
internal sealed class Restart(string what, LoadSurroundings surroundings) : Fault($"restart of the {what}", surroundings)
{
    internal override async Task RunAsync(Random random)
    {
        await Surroundings.Descriptors.WaitAsync();
        try
        {
            string answer = await Server.CommandAsync($"restart-{what}");
            if (answer != "done")
            {
                throw new InvalidOperationException(answer);
            }
        }
        finally
        {
            Surroundings.Descriptors.Release();
        }
    }
}
