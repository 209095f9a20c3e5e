using System.Collections.Immutable;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;
using Microsoft.CodeAnalysis.Diagnostics;
using Microsoft.CodeAnalysis.Operations;

namespace Ioxide.Rules;

/// <summary>Who controls a reactor's thread, checked in the packages' code (ARCHITECTURE.md, "The boundary").</summary>
/// <remarks>
/// IOX9001: an await of a task says whether it keeps its context; so do <c>await using</c> and <c>await foreach</c>. IOX9002: a public method enters the
/// runtime before it awaits under its caller's context. IOX9003: a delegate of the application is invoked only by code that is marked with <c>[ApplicationSide]</c>. IOX9004: what stores
/// or passes on such a delegate is marked, so that IOX9003 finds its invocation.
/// </remarks>
[DiagnosticAnalyzer(LanguageNames.CSharp)]
public sealed class BoundaryAnalyzer : DiagnosticAnalyzer
{
    // Of System.Threading.Tasks.ConfigureAwaitOptions.
    private const int ContinueOnCapturedContext = 1;

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
        context.RegisterOperationAction(CheckAsyncUsing, OperationKind.Using, OperationKind.UsingDeclaration);
        context.RegisterOperationAction(CheckAsyncLoop, OperationKind.Loop);
        context.RegisterOperationAction(CheckInvocation, OperationKind.Invocation);
        context.RegisterOperationAction(CheckArgument, OperationKind.Argument);
        context.RegisterOperationAction(
            CheckAssignment, OperationKind.SimpleAssignment, OperationKind.CoalesceAssignment, OperationKind.CompoundAssignment);
        context.RegisterOperationAction(CheckEventAssignment, OperationKind.EventAssignment);
        context.RegisterOperationAction(CheckInitializer, OperationKind.FieldInitializer, OperationKind.PropertyInitializer);
        context.RegisterOperationBlockAction(CheckEntry);
    }

    private static void CheckAwait(OperationAnalysisContext context)
    {
        var operation = (IAwaitOperation)context.Operation;
        ReportAwait(context, operation.Operation.Type, operation.Syntax);
    }

    /// <summary>What is awaited where the block ends: the task of <c>DisposeAsync</c>.</summary>
    private static void CheckAsyncUsing(OperationAnalysisContext context)
    {
        IOperation? resources = context.Operation switch
        {
            IUsingOperation { IsAsynchronous: true } block => block.Resources,
            IUsingDeclarationOperation { IsAsynchronous: true } declaration => declaration.DeclarationGroup,
            _ => null,
        };
        if (resources is IVariableDeclarationGroupOperation group)
        {
            foreach (IVariableDeclaratorOperation variable in group.Declarations.SelectMany(static declaration => declaration.Declarators))
            {
                ReportAwait(context, TypeOfDispose(variable.Symbol.Type, context.Compilation), variable.Syntax);
            }
        }
        else if (resources is not null)
        {
            ITypeSymbol? type = (resources is IConversionOperation { IsImplicit: true } conversion ? conversion.Operand : resources).Type;
            ReportAwait(context, TypeOfDispose(type, context.Compilation), resources.Syntax);
        }
    }

    /// <summary>What is awaited at each turn: the task of <c>MoveNextAsync</c>.</summary>
    private static void CheckAsyncLoop(OperationAnalysisContext context)
    {
        if (context.Operation is IForEachLoopOperation { IsAsynchronous: true, Syntax: CommonForEachStatementSyntax syntax, SemanticModel: { } model } loop)
        {
            ReportAwait(context, model.GetForEachStatementInfo(syntax).MoveNextMethod?.ReturnType, loop.Collection.Syntax);
        }
    }

    private static void ReportAwait(OperationAnalysisContext context, ITypeSymbol? awaited, SyntaxNode place)
    {
        if (IsTask(awaited) && !Marks.IsApplicationSide(context.ContainingSymbol))
        {
            context.ReportDiagnostic(Diagnostic.Create(s_await, place.GetLocation()));
        }
    }

    private static ITypeSymbol? TypeOfDispose(ITypeSymbol? type, Compilation compilation)
    {
        for (ITypeSymbol? part = type; part is not null; part = part.BaseType)
        {
            if (part.GetMembers("DisposeAsync").OfType<IMethodSymbol>().FirstOrDefault(static method => method.Parameters.IsEmpty) is { } method)
            {
                return method.ReturnType;
            }
        }

        // By the interface.
        return compilation.GetTypeByMetadataName("System.Threading.Tasks.ValueTask");
    }

    private static void CheckEntry(OperationBlockAnalysisContext context)
    {
        if (context.OwningSymbol is not IMethodSymbol { IsAsync: true } method || !Marks.IsPublic(method) || Marks.IsApplicationSide(method))
        {
            return;
        }

        IOperation[] operations = [.. context.OperationBlocks.SelectMany(static block => block.DescendantsAndSelf())];
        IOperation[] entries = Array.FindAll(operations, IsEntry);
        if (operations.Any(operation => KeepsContext(operation) && !entries.Any(entry => Covers(entry, operation))))
        {
            context.ReportDiagnostic(Diagnostic.Create(s_entry, method.Locations[0], method.Name));
        }
    }

    private static bool IsEntry(IOperation operation)
        => operation is IInvocationOperation call && call.TargetMethod.Name.StartsWith("EnterRuntime", StringComparison.Ordinal)
            || operation is IObjectCreationOperation { Type.Name: "SwitchToReactor" };

    private static bool KeepsContext(IOperation operation)
        => operation is IInvocationOperation { TargetMethod.Name: "ConfigureAwait" } configured
            && configured.Arguments.Any(static argument => argument.Value.ConstantValue.Value is true or ContinueOnCapturedContext);

    /// <summary>Whether an await comes behind an entry, within its scope. What a function within the method enters holds in that function.</summary>
    private static bool Covers(IOperation entry, IOperation awaited)
    {
        IOperation? scope = entry;
        while (scope is not (null or IBlockOperation or IUsingOperation or IAnonymousFunctionOperation or ILocalFunctionOperation))
        {
            scope = scope.Parent;
        }

        return entry.Syntax.SpanStart < awaited.Syntax.Span.End && scope?.Syntax.Span.Contains(awaited.Syntax.Span) is true;
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
        if (assignment.Target is IMemberReferenceOperation target)
        {
            ReportStore(context, target.Member, assignment.Value);
        }
    }

    private static void CheckEventAssignment(OperationAnalysisContext context)
    {
        if (context.Operation is IEventAssignmentOperation { Adds: true, EventReference: IEventReferenceOperation target } assignment)
        {
            ReportStore(context, target.Event, assignment.HandlerValue);
        }
    }

    private static void CheckInitializer(OperationAnalysisContext context)
    {
        var initializer = (ISymbolInitializerOperation)context.Operation;
        IEnumerable<ISymbol> members = initializer is IFieldInitializerOperation field
            ? field.InitializedFields
            : ((IPropertyInitializerOperation)initializer).InitializedProperties;
        foreach (ISymbol member in members)
        {
            ReportStore(context, member, initializer.Value);
        }
    }

    private static void ReportStore(OperationAnalysisContext context, ISymbol member, IOperation value)
    {
        if (Delegates.IsOurs(member.ContainingAssembly)
            && !Delegates.IsOfApplication(member.OriginalDefinition)
            && Delegates.OfApplication(value, context.CancellationToken) is { } symbol)
        {
            context.ReportDiagnostic(Diagnostic.Create(s_store, context.Operation.Syntax.GetLocation(), symbol.Name, member.Name));
        }
    }

    private static bool IsTask(ITypeSymbol? type)
        => type is { Name: "Task" or "ValueTask" } && type.ContainingNamespace.ToDisplayString() == "System.Threading.Tasks";

    private static DiagnosticDescriptor Make(string id, string message) => new(
        id, message, message, "Ioxide", DiagnosticSeverity.Warning, isEnabledByDefault: true);
}
