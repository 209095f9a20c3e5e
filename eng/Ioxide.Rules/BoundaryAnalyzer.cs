using System.Collections.Immutable;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.Diagnostics;
using Microsoft.CodeAnalysis.Operations;

namespace Ioxide.Rules;

/// <summary>Who controls a reactor's thread, checked in the packages' code (ARCHITECTURE.md, "The boundary").</summary>
/// <remarks>
/// IOX9001: an await of a task says whether it keeps its context. IOX9002: a public method enters the runtime before it awaits under its caller's
/// context. IOX9003: a delegate of the application is invoked only by code that is marked with <c>[ApplicationSide]</c>. IOX9004: what stores
/// or passes on such a delegate is marked, so that IOX9003 finds its invocation.
/// </remarks>
[DiagnosticAnalyzer(LanguageNames.CSharp)]
public sealed class BoundaryAnalyzer : DiagnosticAnalyzer
{
    private static readonly DiagnosticDescriptor s_await = Make(
        "IOX9001", "This await does not say which thread continues: add ConfigureAwait, or mark the method with [ApplicationSide]");

    private static readonly DiagnosticDescriptor s_entry = Make(
        "IOX9002", "{0} awaits under the context of the application that calls it: call EnterRuntime first, or mark it with [ApplicationSide]");

    private static readonly DiagnosticDescriptor s_invoke = Make(
        "IOX9003", "{0} is a delegate of the application: invoke it in a method that is marked with [ApplicationSide]");

    private static readonly DiagnosticDescriptor s_store = Make("IOX9004", "{0} is a delegate of the application: mark {1} with [ApplicationSide]");

    /// <inheritdoc/>
    public override ImmutableArray<DiagnosticDescriptor> SupportedDiagnostics { get; } = ImmutableArray.Create(s_await, s_entry, s_invoke, s_store);

    /// <inheritdoc/>
    public override void Initialize(AnalysisContext context)
    {
        context.ConfigureGeneratedCodeAnalysis(GeneratedCodeAnalysisFlags.None);
        context.EnableConcurrentExecution();
        context.RegisterOperationAction(CheckAwait, OperationKind.Await);
        context.RegisterOperationAction(CheckInvocation, OperationKind.Invocation);
        context.RegisterOperationAction(CheckArgument, OperationKind.Argument);
        context.RegisterOperationAction(CheckAssignment, OperationKind.SimpleAssignment, OperationKind.CoalesceAssignment);
        context.RegisterOperationBlockAction(CheckEntry);
    }

    private static void CheckAwait(OperationAnalysisContext context)
    {
        var operation = (IAwaitOperation)context.Operation;
        if (IsTask(operation.Operation.Type) && !Marks.IsApplicationSide(context.ContainingSymbol))
        {
            context.ReportDiagnostic(Diagnostic.Create(s_await, operation.Syntax.GetLocation()));
        }
    }

    private static void CheckEntry(OperationBlockAnalysisContext context)
    {
        if (context.OwningSymbol is not IMethodSymbol { IsAsync: true } method || !Marks.IsPublic(method) || Marks.IsApplicationSide(method))
        {
            return;
        }

        bool keepsContext = false;
        foreach (IOperation operation in context.OperationBlocks.SelectMany(static block => block.DescendantsAndSelf()))
        {
            if (operation is IInvocationOperation call && call.TargetMethod.Name.StartsWith("EnterRuntime", StringComparison.Ordinal)
                || operation is IObjectCreationOperation { Type.Name: "SwitchToReactor" })
            {
                return;
            }

            keepsContext |= operation is IInvocationOperation { TargetMethod.Name: "ConfigureAwait" } configured
                && configured.Arguments[0].Value.ConstantValue.Value is true;
        }

        if (keepsContext)
        {
            context.ReportDiagnostic(Diagnostic.Create(s_entry, method.Locations[0], method.Name));
        }
    }

    private static void CheckInvocation(OperationAnalysisContext context)
    {
        var call = (IInvocationOperation)context.Operation;
        if (call.TargetMethod.MethodKind == MethodKind.DelegateInvoke
            && Delegates.OfApplication(call.Instance, context.CancellationToken) is { } symbol
            && !Marks.IsApplicationSide(context.ContainingSymbol))
        {
            context.ReportDiagnostic(Diagnostic.Create(s_invoke, call.Syntax.GetLocation(), symbol.Name));
        }
    }

    private static void CheckArgument(OperationAnalysisContext context)
    {
        var argument = (IArgumentOperation)context.Operation;
        if (argument.Parameter is { } parameter && Delegates.IsOurs(parameter.ContainingAssembly)
            && parameter.Type.TypeKind == TypeKind.Delegate && !Delegates.IsOfApplication(parameter.OriginalDefinition)
            && Delegates.OfApplication(argument.Value, context.CancellationToken) is { } symbol
            && !Marks.IsApplicationSide(context.ContainingSymbol))
        {
            context.ReportDiagnostic(Diagnostic.Create(s_store, argument.Syntax.GetLocation(), symbol.Name, parameter.Name));
        }
    }

    private static void CheckAssignment(OperationAnalysisContext context)
    {
        var assignment = (IAssignmentOperation)context.Operation;
        if (assignment.Target is IMemberReferenceOperation { Member: { } member }
            && Delegates.IsOurs(member.ContainingAssembly)
            && !Delegates.IsOfApplication(member.OriginalDefinition)
            && Delegates.OfApplication(assignment.Value, context.CancellationToken) is { } symbol)
        {
            context.ReportDiagnostic(Diagnostic.Create(s_store, assignment.Syntax.GetLocation(), symbol.Name, member.Name));
        }
    }

    private static bool IsTask(ITypeSymbol? type)
        => type is { Name: "Task" or "ValueTask" } && type.ContainingNamespace.ToDisplayString() == "System.Threading.Tasks";

    private static DiagnosticDescriptor Make(string id, string message) => new(
        id, message, message, "Ioxide", DiagnosticSeverity.Warning, isEnabledByDefault: true);
}
