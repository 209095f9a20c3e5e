using Ioxide.AspNetCore;
using Microsoft.AspNetCore.Connections.Features;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;

namespace Ioxide.Http2.Tests;

/// <summary>Runs a program as the handler of its request.</summary>
internal static class ProgramRun
{
    internal static async Task RunAsync(HttpContext context, ProgramSession session)
    {
        try
        {
            await BeginAsync(context, session);
        }
        finally
        {
            session.Return();
        }
    }

    private static async Task BeginAsync(HttpContext context, ProgramSession session)
    {
        // The first one that is registered runs last.
        context.Response.OnCompleted(() =>
        {
            session.End();
            return Task.CompletedTask;
        });
        if (session.Place.IsHttp1)
        {
            session.Reactor = context.Features.Get<IReactorFeature>()?.Reactor;
            session.ServerSocket = context.Features.GetRequiredFeature<IConnectionSocketFeature>().Socket;
        }

        if (session.Program.UsesLate)
        {
            session.Kept = KeptObjects.Of(context);
        }

        ProgramSteps steps = new(context, session);
        switch (session.Program.Mode)
        {
            case ProgramMode.Task:
                await Task.Run(() => RunStepsAsync(steps, session));
                break;
            case ProgramMode.Threads:
                await session.ActAsync(new Step(StepKind.Look));
                foreach (Step step in session.Program.Steps)
                {
                    await Task.Run(() => RunStepAsync(steps, session, step));
                }

                break;
            default:
                await RunStepsAsync(steps, session);
                break;
        }
    }

    private static async Task RunStepsAsync(ProgramSteps steps, ProgramSession session)
    {
        // The server has read what the client sent at first.
        await session.ActAsync(new Step(StepKind.Look));
        foreach (Step step in session.Program.Steps)
        {
            await RunStepAsync(steps, session, step);
        }
    }

    private static async Task RunStepAsync(ProgramSteps steps, ProgramSession session, Step step)
    {
        if (step.Kind == StepKind.Throw)
        {
            throw ProgramSteps.Failure(step.Number);
        }

        try
        {
            session.Note($"{step.Name}: {await steps.RunAsync(step).WaitAsync(session.Limit)}");
        }
        catch (TimeoutException)
        {
            session.Note($"{step.Name}: waits");
            throw new InvalidOperationException("A step waited without an end.");
        }
        catch (Exception exception)
        {
            session.Note(step.Name, exception);
        }
    }
}
