namespace Ioxide.Http2.Tests;

/// <summary>What is left out of a program because its outcome is open.</summary>
internal sealed partial class HandlerProgram
{
    /// <summary>
    /// A cancel and a reset that wait for the same read: either may come first. Where a head may not have the length or the coding that it was given,
    /// Kestrel fails in itself, and the request has no end.
    /// </summary>
    private void LeaveOutForHttp1()
    {
        int reset = _steps.FindIndex(static step => step.Kind == StepKind.ClientResets);
        bool isBare = Method == "HEAD" || _steps.Exists(static step => step is { Kind: StepKind.Status, Number: (>= 100 and < 200) or 204 or 205 or 304 });
        bool hasNoLength = HasStatusWithoutLength;
        for (int index = _steps.Count - 1; reset >= 0 && index > reset; index--)
        {
            if (_steps[index].Kind == StepKind.PipeCancelRead)
            {
                _steps.RemoveAt(index);
            }
        }

        _steps.RemoveAll(step => (isBare && step.Text == "Transfer-Encoding") || (hasNoLength && IsLength(step)));
    }

    private static bool IsLength(Step step) => step.Kind == StepKind.Length || step.Text == "Content-Length";

    private bool HasStatusWithoutLength => _steps.Exists(static step => step is { Kind: StepKind.Status, Number: (>= 100 and < 200) or 204 or 205 });

    /// <summary>
    /// <c>PipeWriter.Complete</c> does not wait: where a callback before the start is asynchronous, the answer would end beside the handler, in an order
    /// that is open. <c>CompleteAsync</c> stands for it there; Kestrel's drops an exception.
    /// </summary>
    private void AwaitEnds()
    {
        for (int index = _steps.FindIndex(static step => step is { Kind: StepKind.OnStarting, Number: 2 or > 3 }); index >= 0 && index < _steps.Count; index++)
        {
            if (_steps[index].Kind == StepKind.PipeCompleteWriter)
            {
                _steps[index] = _steps[index] with { Number = 0 };
            }
        }
    }
}
