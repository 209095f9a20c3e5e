using Ioxide.TestKit;

namespace Ioxide.Soak;

/// <summary>The whole server stands still for a moment.</summary>
internal sealed class Suspension(LoadSurroundings surroundings) : Fault("suspension", surroundings)
{
    private static readonly TimeSpan s_duration = TimeSpan.FromMilliseconds(200);

    internal override async Task RunAsync(Random random)
    {
        Signals.Send(Server.Id, Signals.Stop);
        try
        {
            await Task.Delay(s_duration);
        }
        finally
        {
            Signals.Send(Server.Id, Signals.Continue);
        }
    }
}
